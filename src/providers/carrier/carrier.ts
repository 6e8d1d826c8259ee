/** A store's account at a carrier. */
export type CarrierAccount = { storeId: string; credentials: Readonly<Record<string, string>> }

export type ParcelAddress = {
  name: string
  phone: string
  email: string
  line1: string
  line2: string
  city: string
  state: string
  postalCode: string
  /** ISO 3166, such as IN. */
  country: string
}

/** `unitMinor` is what the customer pays for one unit. */
export type ParcelItem = { sku: string; name: string; quantity: number; unitMinor: number }

export type Parcel = {
  /** Our name of the shipment, unique at the carrier and at most 50 characters. The same when the call is repeated. */
  reference: string
  orderedAt: Date
  to: ParcelAddress
  items: readonly ParcelItem[]
  currency: string
  /** What the customer pays for this parcel. The carrier collects it if `isCash`. */
  valueMinor: number
  isCash: boolean
  weightKg: number
  lengthCm: number
  breadthCm: number
  heightCm: number
}

/** The carrier's ids of a shipment. Some carriers name the order and the parcel apart. */
export type CarrierShipment = { carrierOrder: string; carrierShipment: string }

export type AssignedCourier = { trackingNumber: string; partner: string }

/** The meaning of a report. A report with any other meaning has null and changes nothing but the text. */
export type CarrierStatus =
  | 'in_transit'
  | 'out_for_delivery'
  | 'undelivered'
  | 'delivered'
  | 'returning'
  | 'returned'
  | 'cancelled'

/** The state of a parcel. `label` is the carrier's own text. `at` is null if the carrier gives no time. */
export type TrackedParcel = {
  status: CarrierStatus | null
  label: string
  partner: string | null
  estimatedDelivery: Date | null
  deliveredAt: Date | null
  trackingUrl: string | null
  at: Date | null
}

/** A webhook event in one shape. `eventId` is the same each time the carrier sends the event. */
export type CarrierReport = TrackedParcel & {
  eventId: string
  /** The `reference` of the parcel, perhaps with a suffix. */
  reference: string | null
  trackingNumber: string | null
}

/**
 * A carrier. Each call can be repeated with the same parcel and has no second effect, because the process may die before
 * it has stored the answer. No call is made inside a transaction. A call that rejects with ProviderRefused is not worth
 * repeating; any other rejection means that the effect is unknown, and the call is repeated later. The signal aborts at
 * the time limit.
 */
export type Carrier = {
  name: string
  /** What people call it. */
  label: string
  /** Names of the credentials a store must set, and of those it may set. */
  credentials: readonly string[]
  optionalCredentials: readonly string[]
  /** Why the carrier cannot take this parcel, as a sentence for the operator; null when it can. */
  refuseParcel(parcel: Parcel): string | null
  /** Reads something with the credentials and says what the carrier answered. Throws ProviderRefused if they are wrong. */
  check(account: CarrierAccount, signal: AbortSignal): Promise<string>
  /** Makes a shipment, or finds the one that an earlier call with this reference has made. */
  createShipment(account: CarrierAccount, parcel: Parcel, signal: AbortSignal): Promise<CarrierShipment>
  /** The shipment with this reference; null if there is none. */
  findShipment(account: CarrierAccount, reference: string, signal: AbortSignal): Promise<CarrierShipment | null>
  /** `courierId` null: the carrier chooses. A shipment that has a courier keeps it. */
  assignCourier(
    account: CarrierAccount,
    shipment: CarrierShipment,
    courierId: string | null,
    signal: AbortSignal,
  ): Promise<AssignedCourier>
  /** Returns the address of the label, a PDF. */
  makeLabel(account: CarrierAccount, shipment: CarrierShipment, signal: AbortSignal): Promise<string>
  /** Returns when the courier comes; null if the carrier does not say. */
  schedulePickup(account: CarrierAccount, shipment: CarrierShipment, signal: AbortSignal): Promise<Date | null>
  track(account: CarrierAccount, trackingNumber: string, signal: AbortSignal): Promise<TrackedParcel>
  /** Cancels the shipment. Throws ProviderRefused if it is too late. */
  cancelShipment(account: CarrierAccount, shipment: CarrierShipment, signal: AbortSignal): Promise<void>
}

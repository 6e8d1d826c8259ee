import type { Parcel } from './carrier.ts'

const maxReferenceLength = 50
const maxCityLength = 30
const minCm = 0.5

/** Why Shiprocket would refuse this parcel, before it is asked. */
export const refuseParcel = (parcel: Parcel): string | null => {
  const { to } = parcel
  const checks: [isRight: boolean, fault: string][] = [
    [parcel.currency === 'INR', `Shiprocket ships orders in INR only, not in ${parcel.currency}.`],
    [to.country === 'IN', `Shiprocket ships within India only, not to ${to.country || 'an unknown country'}.`],
    [/^[1-9]\d{5}$/.test(to.postalCode), 'The postal code of the address must have six digits.'],
    [/^(\+?91|0)?[6-9]\d{9}$/.test(to.phone), 'The address needs an Indian mobile number of ten digits.'],
    [to.email !== '', 'Shiprocket needs an e-mail address: that of the customer or of the store.'],
    [to.name.trim() !== '', 'The address needs a name.'],
    [to.line1.trim().length >= 3, 'The first line of the address must have at least three characters.'],
    [to.city.trim() !== '' && to.city.length <= maxCityLength, 'The city must have 1 to 30 characters.'],
    [to.state.trim() !== '', 'The address needs a state.'],
    [parcel.items.length > 0, 'The parcel has no items.'],
    [parcel.weightKg > 0, 'The weight must be more than 0 kg.'],
    [
      [parcel.lengthCm, parcel.breadthCm, parcel.heightCm].every((cm) => cm > minCm),
      'Length, breadth and height must each be more than 0.5 cm.',
    ],
    [parcel.reference.length <= maxReferenceLength, 'The reference must have at most 50 characters.'],
  ]
  return checks.find(([isRight]) => !isRight)?.[1] ?? null
}

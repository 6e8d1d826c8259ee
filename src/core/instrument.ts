/** The means of payment. Fields that do not apply are empty. */
export type Instrument = { method: string; last4: string; upiId: string; reference: string }

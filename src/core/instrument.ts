/** What somebody paid with. What does not apply is empty. */
export type Instrument = { method: string; last4: string; upiId: string; reference: string }

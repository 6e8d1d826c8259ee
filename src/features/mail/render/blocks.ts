/** What a message consists of. The same blocks become HTML and plain text. */
export type Block =
  | { kind: 'heading'; text: string }
  | { kind: 'paragraph'; text: string; isMuted?: boolean }
  /** A link that is the main action. */
  | { kind: 'button'; label: string; url: string }
  /** The link of a button to copy. In plain text it is already there. */
  | { kind: 'copyLink'; text: string; url: string }
  /** A one-time code, to be read and typed. */
  | { kind: 'code'; text: string }
  /** Names and values, such as the tracking number. */
  | { kind: 'facts'; rows: readonly Fact[] }
  | { kind: 'items'; labels: { item: string; amount: string }; rows: readonly ItemRow[]; totals: readonly TotalRow[] }

export type Fact = { label: string; value: string; url?: string | null }
/** `detail` is a second line, such as `Oat · 2 × ₹549.00`. */
export type ItemRow = { name: string; detail: string; amount: string }
export type TotalRow = { label: string; amount: string; isTotal?: boolean }

export type MailContent = {
  subject: string
  /** The line that inboxes show after the subject. */
  preview: string
  blocks: readonly Block[]
  /** Why the recipient gets this mail. */
  reason: string
}

/** What all mail of a store has in common. */
export type Letterhead = {
  language: string
  storeName: string
  storeUrl: string
  /** Empty without a logo. */
  logoUrl: string
  /** `#rrggbb`. */
  brandColor: string
  /** Address, mail and phone of the store. */
  contactLines: readonly string[]
}

import type { DoubleAnswer } from './double.ts'

export type StripeForm = Map<string, string>
export type StripeMetadata = Record<string, string>

const halfHour = 30 * 60
const day = 24 * 3600

/** An answer in the form of Stripe's errors. */
export const invalid = (message: string, param?: string, status = 400, code?: string): DoubleAnswer => ({
  status,
  body: {
    error: {
      type: 'invalid_request_error',
      message,
      ...(param === undefined ? {} : { param }),
      ...(code === undefined ? {} : { code }),
    },
  },
})

const sessionParameters =
  /^(mode|success_url|cancel_url|client_reference_id|customer_email|expires_at|line_items\[0\]\[(quantity|price_data\]\[(currency|unit_amount|product_data\]\[name))\]|payment_intent_data\[description\]|(payment_intent_data\[metadata\]|metadata)\[\w+\])$/

/** The first parameter of a new session that Stripe would refuse. */
export const findWrongParameter = (form: StripeForm, nowSeconds: number): { param: string; message: string } | null => {
  const surplus = [...form.keys()].find((name) => !sessionParameters.test(name))
  if (surplus !== undefined) return { param: surplus, message: `Received unknown parameter: ${surplus}` }
  const checks: [param: string, isRight: (value: string) => boolean][] = [
    ['mode', (value) => value === 'payment'],
    ['success_url', isUrl],
    ['cancel_url', isUrl],
    ['client_reference_id', (value) => value.length >= 1 && value.length <= 200],
    ['line_items[0][price_data][currency]', (value) => /^[a-z]{3}$/.test(value)],
    ['line_items[0][price_data][unit_amount]', (value) => /^[1-9]\d{0,11}$/.test(value)],
    ['line_items[0][price_data][product_data][name]', (value) => value.length >= 1],
    ['line_items[0][quantity]', (value) => value === '1'],
    ['expires_at', (value) => Number(value) >= nowSeconds + halfHour && Number(value) <= nowSeconds + day],
  ]
  for (const [param, isRight] of checks) {
    const value = form.get(param)
    if (value === undefined) return { param, message: `Missing required param: ${param}.` }
    if (!isRight(value)) return { param, message: `Invalid ${param}: ${value}` }
  }
  const email = form.get('customer_email')
  if (email !== undefined && !/^\S+@\S+\.\S+$/.test(email))
    return { param: 'customer_email', message: 'Invalid email address' }
  return null
}

const isUrl = (text: string) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)

export const metadataOf = (form: StripeForm, prefix: string): StripeMetadata =>
  Object.fromEntries(
    [...form]
      .filter(([name]) => name.startsWith(`${prefix}[`))
      .map(([name, value]) => [name.slice(prefix.length + 1, -1), value]),
  )

import { type Clock, systemClock } from '../../core/clock.ts'
import { OperatorError } from '../../core/operator-error.ts'
import { createConsoleSender, type Print } from './console-sender.ts'
import { createHttpSender, type HttpSettings } from './http.ts'
import { createMsg91Sender, type Msg91Settings } from './msg91.ts'
import type { SmsSender } from './sender.ts'
import { createTwilioSender, type TwilioSettings } from './twilio.ts'

export type SmsSettings =
  | { sender: 'console' }
  | ({ sender: 'twilio' } & TwilioSettings)
  | ({ sender: 'msg91' } & Msg91Settings)
  | ({ sender: 'http' } & HttpSettings)

/** `baseUrl` stands in for the vendor in tests; `print` takes the lines of the console sender. */
export type SmsSenderOptions = { clock?: Pick<Clock, 'now'>; baseUrl?: string; timeoutMs?: number; print?: Print }

/** The one sender that this instance sends with. `Config` fits the first argument. */
export const chooseSmsSender = (
  { production, sms }: { production: boolean; sms: Readonly<SmsSettings> },
  { clock = systemClock, print, ...vendor }: SmsSenderOptions = {},
): SmsSender => {
  switch (sms.sender) {
    case 'console':
      // The settings refuse this already; whoever makes a config without them is stopped here.
      if (production) throw new OperatorError('The console sender has no place in production (NODE_ENV=production).')
      return createConsoleSender(print)
    case 'twilio':
      return createTwilioSender(sms, vendor)
    case 'msg91':
      return createMsg91Sender(sms, vendor)
    case 'http':
      return createHttpSender(sms, { clock, ...vendor })
  }
}

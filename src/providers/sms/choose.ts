import { type Clock, systemClock } from '../../core/clock.ts'
import { createConsoleSender, type Print } from './console-sender.ts'
import { createHttpSender, type HttpSettings } from './http.ts'
import { createMsg91Sender, type Msg91Settings } from './msg91.ts'
import { SmsRefused, type SmsSender } from './sender.ts'
import { createTwilioSender, type TwilioSettings } from './twilio.ts'

export type SmsSettings =
  | { sender: 'console' }
  | { sender: 'none' }
  | ({ sender: 'twilio' } & TwilioSettings)
  | ({ sender: 'msg91' } & Msg91Settings)
  | ({ sender: 'http' } & HttpSettings)

/** `baseUrl` replaces the vendor in tests; `print` receives the lines of the console sender. */
export type SmsSenderOptions = { clock?: Pick<Clock, 'now'>; baseUrl?: string; timeoutMs?: number; print?: Print }

/** The SMS sender of this instance. The first argument is compatible with `Config`. */
export const chooseSmsSender = (
  { production, sms }: { production: boolean; sms: Readonly<SmsSettings> },
  { clock = systemClock, print, ...vendor }: SmsSenderOptions = {},
): SmsSender => {
  switch (sms.sender) {
    case 'console':
      // config.ts refuses this with a better message. This check covers configurations that were not read by it.
      if (production) throw new Error('the console sender is not allowed in production')
      return createConsoleSender(print)
    case 'none':
      return noSender
    case 'twilio':
      return createTwilioSender(sms, vendor)
    case 'msg91':
      return createMsg91Sender(sms, vendor)
    case 'http':
      return createHttpSender(sms, { clock, ...vendor })
  }
}

/** For a service whose shoppers sign in by mail. */
const noSender: SmsSender = {
  name: 'none',
  send: async () => {
    throw new SmsRefused('No SMS sender is configured.')
  },
}

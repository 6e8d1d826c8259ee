import { join } from 'node:path'
import { createFolderSender } from './folder-sender.ts'
import type { MailSender } from './sender.ts'
import { createSmtpSender } from './smtp-sender.ts'

export type MailSettings = { smtpUrl: string | null }

export const mailFolderIn = (dataDir: string) => join(dataDir, 'mail')

/** Whether `chooseMailSender` finds one. */
export const hasMailSender = ({ production, mail }: { production: boolean; mail: Readonly<MailSettings> }) =>
  mail.smtpUrl !== null || !production

/** The sender of this instance, or null in production without an SMTP server. Takes the `Config`. */
export const chooseMailSender = ({
  production,
  dataDir,
  mail,
}: {
  production: boolean
  dataDir: string
  mail: Readonly<MailSettings>
}): MailSender | null => {
  if (mail.smtpUrl !== null) return createSmtpSender(mail.smtpUrl)
  return production ? null : createFolderSender(mailFolderIn(dataDir))
}

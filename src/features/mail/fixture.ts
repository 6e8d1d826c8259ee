import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import type { ServiceOptions, TestService, TestStore } from '../../../test/harness.ts'
import { newCustomer } from '../../../test/shoppers.ts'
import { newRunner, serviceAlone } from '../../jobs/fixture.ts'
import { MailFailed, MailRefused, type MailSender, type OutgoingMail } from '../../providers/mail/sender.ts'
import { openOrderShop } from '../orders/fixture.ts'

/** A service of its own, whose mail is in `mails` unless a sender is given, with a shop and a customer. */
export const openMailScene = async (t: TestContext, options: ServiceOptions = {}) => {
  const { service } = await serviceAlone(t, options)
  const shop = await openOrderShop(service)
  const { id } = await shop.load()
  await setStore(service, shop, { contact: { email: 'owner@shop.example', phone: '' } })
  const asha = await newCustomer(service, shop, { name: 'Asha' })
  await service.db.run`update customer set email = 'asha@example.com' where store_id = ${id} and id = ${asha.id}`
  const runner = newRunner(service)
  return { service, shop, asha, runner, runJobs: runner.runDue, failures: runner.failures, mails: service.mails }
}

type Changed = { contact?: { email: string; phone: string }; name?: string; locale?: string; mailOff?: string[] }

export const setStore = async ({ db }: TestService, shop: TestStore, set: Changed) => {
  const { id, contact, name, locale, mailOff } = { ...(await shop.load()), ...set }
  await db.run`
    update store set contact = ${JSON.stringify(contact)}::jsonb, name = ${name}, locale = ${locale},
      mail_off = ${mailOff}::text[] where id = ${id}`
}

export type MailState = {
  message: string
  state: string
  error: string
  attempts: number
  sealed: string | null
  recipient: string | null
}

export const mailRows = async ({ db }: TestService, shop: TestStore) => {
  const { id } = await shop.load()
  return db.many<MailState>`
    select message, state, error, attempts, sealed, recipient from mail where store_id = ${id} order by created_at, id`
}

export const lastMail = (mails: readonly OutgoingMail[], name: string, to?: string) => {
  const found = mails.findLast((mail) => mail.name === name && (to === undefined || mail.to === to))
  assert.ok(found, `no mail ${name}: ${mails.map((mail) => mail.name).join(', ')}`)
  return found
}

/** A sender whose answers a test decides: null accepts. */
export const senderWith = (decide: (mail: OutgoingMail) => Error | null | Promise<Error | null>): MailSender => ({
  name: 'smtp',
  send: async (mail) => {
    const refusal = await decide(mail)
    if (refusal !== null) throw refusal
    return { answer: '250 OK' }
  },
  close: async () => {},
})

export const temporarily = () => new MailFailed('the mail server answered 451', '451 4.7.1 Greylisted')
export const forGood = () => new MailRefused('the mail server refused a recipient (550)', '550 5.1.1 No such user here')

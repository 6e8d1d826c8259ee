import type { EventDeclaration, EventTypeOf } from '../events/events.contract.ts'
import { CustomerProfile, exampleCustomer } from './sign-in.contract.ts'

const declare = (summary: string, example: CustomerProfile = exampleCustomer): EventDeclaration => ({
  summary,
  data: CustomerProfile,
  example,
})

export const customerEvents: Record<EventTypeOf<'customer'>, EventDeclaration> = {
  'customer.created': declare('A customer signed up, or signed in with a code for the first time'),
  'customer.updated': declare('The name, address or phone number of a customer was changed or confirmed'),
  'customer.erased': declare('The personal data of a customer was erased', {
    ...exampleCustomer,
    ...{ name: '[erased]', email: '', phone: '' },
  }),
}

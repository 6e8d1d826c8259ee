import type { Command } from 'commander'
import type { Config } from '../config.ts'
import { deriveCipher } from '../core/encryption.ts'
import type { Db } from '../db/database.ts'
import { roles } from '../features/access/admin.contract.ts'
import { commandLine } from '../features/audit/record.ts'
import {
  type AddedMember,
  addMember,
  changeRole,
  inviteAgain,
  listStaff,
  removeMember,
} from '../features/staff/members.ts'
import { loadSecrets, withDatabase, withReadableDatabase } from './database.ts'
import { fields, type OutputOptions, printResult, table } from './output.ts'
import { whichStore } from './which-store.ts'

type StoreOptions = OutputOptions & { store?: string }

const storeOption = ['--store <id>', 'store id; default: the only store, or the demo store'] as const
const roleList = roles.join(', ')

export const addStaff = (program: Command) => {
  const staff = program.command('staff').description('Manage the people who work for a store')
  addCreate(staff)
  addList(staff)
  addSet(staff)
  addInvite(staff)
  addRemove(staff)
}

const addCreate = (staff: Command) =>
  staff
    .command('create')
    .description('Add a person to the staff of a store, and print a link that sets the password')
    .requiredOption('--email <email>', 'the address that the person signs in with')
    .requiredOption('--role <role>', roleList)
    .option('--name <name>', 'the name of the person', '')
    .option(...storeOption)
    .option('--json', 'print the result as JSON')
    .addHelpText('after', '\nExample:\n  vitrine staff create --email meera@shop.example --role owner')
    .action((options: StoreOptions & { email: string; role: string; name: string }) =>
      withDatabase(async (db, config) => {
        const store = await whichStore(db, config, options)
        const made = await addMember(servicesOf(db, config), { store }, commandLine, options)
        printResult(options, made, () => showAdded(made))
      }),
    )

const servicesOf = (db: Db, config: Config) => ({
  ...{ db, publicUrl: config.publicUrl, mail: null },
  mailSeal: deriveCipher(loadSecrets(config), 'mail'),
})

const showAdded = ({ staffId, link }: AddedMember) =>
  link === null
    ? fields({ id: staffId, '': 'This person has a password already.' })
    : fields({ id: staffId, link, '': 'The link works once, for a day.' })

const addList = (staff: Command) =>
  staff
    .command('list')
    .description('List the people who work for a store')
    .option(...storeOption)
    .option('--json', 'print the result as JSON')
    .addHelpText('after', '\nExample:\n  vitrine staff list')
    .action((options: StoreOptions) =>
      withReadableDatabase(async (db, config) => {
        const members = await listStaff(db, await whichStore(db, config, options))
        printResult(options, members, () =>
          members.length === 0
            ? 'Nobody works for this store yet. "vitrine staff create" adds the first person.'
            : table(
                ['id', 'email', 'role', 'status', 'second factor', 'last use'],
                members.map((row) => [
                  ...[row.id, row.email, row.role, row.status, row.secondFactor ? 'yes' : 'no'],
                  row.usedAt ?? '',
                ]),
              ),
        )
      }),
    )

const addSet = (staff: Command) =>
  staff
    .command('set <id>')
    .description('Change the role of a person')
    .requiredOption('--role <role>', roleList)
    .option(...storeOption)
    .option('--json', 'print the result as JSON')
    .addHelpText('after', '\nExample:\n  vitrine staff set stf_01k8x0v3m7q2w9c4t6y8za --role manager')
    .action((id: string, options: StoreOptions & { role: string }) =>
      withDatabase(async (db, config) => {
        const store = await whichStore(db, config, options)
        const changed = await changeRole(db, { store }, commandLine, id, options.role)
        printResult(options, changed, () => `${changed.email} is ${changed.role} now.`)
      }),
    )

const addInvite = (staff: Command) =>
  staff
    .command('invite <id>')
    .description('Print a new link for a staff member without a password')
    .option(...storeOption)
    .option('--json', 'print the result as JSON')
    .addHelpText('after', '\nExample:\n  vitrine staff invite stf_01k8x0v3m7q2w9c4t6y8za')
    .action((id: string, options: StoreOptions) =>
      withDatabase(async (db, config) => {
        const store = await whichStore(db, config, options)
        const made = await inviteAgain(servicesOf(db, config), { store }, commandLine, id)
        printResult(options, made, () => showAdded(made))
      }),
    )

const addRemove = (staff: Command) =>
  staff
    .command('remove <id>')
    .description('Remove a person from the staff of a store')
    .option(...storeOption)
    .option('--json', 'print the result as JSON')
    .addHelpText('after', '\nExample:\n  vitrine staff remove stf_01k8x0v3m7q2w9c4t6y8za')
    .action((id: string, options: StoreOptions) =>
      withDatabase(async (db, config) => {
        const store = await whichStore(db, config, options)
        await removeMember(db, { store }, commandLine, id)
        printResult(options, { staffId: id }, () => `${id} does not work for ${store.name} any more.`)
      }),
    )

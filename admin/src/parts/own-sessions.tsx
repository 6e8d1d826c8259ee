import { useState } from 'preact/hooks'
import { FormDialog } from '../../../ui/dialog.tsx'
import { useLoad } from '../../../ui/load.ts'
import { showNotice } from '../../../ui/notice.ts'
import { focusHeading, Show } from '../../../ui/states.tsx'
import { type AdminListSessionsAnswer, staff } from '../api.ts'
import { counted, dateTime } from '../format.ts'
import { session } from '../session.ts'

type OwnSession = AdminListSessionsAnswer['data'][number]

/** In the order in which they are looked for: most browsers also name others. */
const browsers = [
  [/Edg/, 'Edge'],
  [/OPR/, 'Opera'],
  [/SamsungBrowser/, 'Samsung Internet'],
  [/Firefox|FxiOS/, 'Firefox'],
  [/Chrome|CriOS/, 'Chrome'],
  [/Safari/, 'Safari'],
] as const
const systems = [
  [/iPhone|iPad/, 'iOS'],
  [/Android/, 'Android'],
  [/Windows/, 'Windows'],
  [/Mac OS X|Macintosh/, 'macOS'],
  [/CrOS/, 'ChromeOS'],
  [/Linux/, 'Linux'],
] as const

const deviceOf = ({ userAgent }: OwnSession) => {
  const find = (list: readonly (readonly [RegExp, string])[]) => list.find(([mark]) => mark.test(userAgent))?.[1]
  const [browser, system] = [find(browsers), find(systems)]
  if (browser && system) return `${browser} on ${system}`
  return browser ?? system ?? (userAgent.slice(0, 40) || 'An unknown device')
}

/** Where the person is signed in. */
export const OwnSessions = () => {
  const { loaded, reload } = useLoad(
    `sessions of ${session.value?.staff.id}`,
    async () => (await staff.listSessions()).data,
  )
  const [doomed, setDoomed] = useState<OwnSession[] | null>(null)
  const [only, ...rest] = doomed ?? []
  const isOne = only !== undefined && rest.length === 0
  const end = async () => {
    try {
      // More than were listed, if the person has signed in elsewhere since.
      const { ended } = isOne
        ? await staff.endSession({ sessionId: only.id }).then(() => ({ ended: 1 }))
        : await staff.endOtherSessions()
      focusHeading()
      showNotice(`${counted(ended, 'device')} signed out.`)
    } finally {
      reload()
    }
  }
  const title = isOne ? `Sign out ${deviceOf(only)}?` : 'Sign out all other devices?'
  return (
    <>
      <section class="panel">
        <h2>Where you are signed in</h2>
        <Show loaded={loaded} onRetry={reload}>
          {(sessions) => {
            const others = sessions.filter(({ current }) => !current)
            return (
              <>
                <ul class="sessions">
                  {sessions.map((one) => (
                    <li key={one.id}>
                      <div>
                        <strong>{deviceOf(one)}</strong> {one.current && <span class="status good">This device</span>}
                        <p class="quiet-text">
                          Last active {dateTime(one.usedAt)}, signed in {dateTime(one.createdAt)}
                          {one.clientAddress && `, address ${one.clientAddress}`}
                        </p>
                      </div>
                      {!one.current && (
                        <button type="button" class="text-button" onClick={() => setDoomed([one])}>
                          Sign out<span class="hidden"> {deviceOf(one)}</span>
                        </button>
                      )}
                    </li>
                  ))}
                </ul>
                {others.length > 1 && (
                  <button type="button" class="button quiet" onClick={() => setDoomed(others)}>
                    Sign out {others.length} other devices
                  </button>
                )}
                {others.length === 0 && <p class="quiet-text">You are signed in on no other device.</p>}
              </>
            )
          }}
        </Show>
      </section>
      {doomed && (
        <FormDialog
          {...{ title, isDangerous: true }}
          action={isOne ? 'Sign out' : `Sign out ${counted(doomed.length, 'device')}`}
          onClose={() => setDoomed(null)}
          onSubmit={end}
        >
          <p>
            {isOne ? 'This device has' : `These ${counted(doomed.length, 'device')} have`} to sign in again. If you do
            not know one of them, change your password too.
          </p>
        </FormDialog>
      )}
    </>
  )
}

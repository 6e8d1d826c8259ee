import { useEffect, useState } from 'preact/hooks'
import { TextField } from '../../../ui/fields.tsx'
import { dropDrafts, useDraft } from '../../../ui/load.ts'
import { showNotice } from '../../../ui/notice.ts'
import { navigate, route } from '../../../ui/router.ts'
import { Button, Problem, Skeleton } from '../../../ui/states.tsx'
import { useSubmit } from '../../../ui/submit.ts'
import { wordProblem } from '../format.ts'
import { CouponFields, CouponSentence } from '../parts/coupon-fields.tsx'
import { type CouponDraft, emptyCoupon, toCouponDraft, toCouponInput } from '../parts/coupon-words.ts'
import { NotAllowed } from '../parts/not-allowed.tsx'
import { PageHead } from '../parts/page-head.tsx'
import { admin, may, pathTo, store } from '../session.ts'

type NewCoupon = CouponDraft & { code: string }

const back = { path: 'coupons', label: 'Coupons' }

/** With `?like=CODE` the form begins with what another coupon has. */
export const NewCouponPage = () => {
  const [like] = useState(() => route.value.query.get('like'))
  const [initial, setInitial] = useState<NewCoupon | null>(like === null ? { ...emptyCoupon, code: '' } : null)
  useEffect(() => {
    if (like === null) return
    admin()
      .getCoupon({ code: like })
      .then((coupon) => setInitial({ ...toCouponDraft(coupon), code: '' }))
      .catch((error) => {
        setInitial({ ...emptyCoupon, code: '' })
        showNotice(wordProblem(error))
      })
  }, [like])
  if (!may('coupons:write')) return <NotAllowed title="New coupon" />
  return (
    <>
      <PageHead title={like === null ? 'New coupon' : `New coupon like ${like}`} back={back} />
      {initial === null ? <Skeleton lines={6} /> : <NewCouponForm initial={initial} like={like ?? ''} />}
    </>
  )
}

/** Letters and digits that are not mistaken for each other. */
const madeUp = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(8)), (byte) => 'ABCDEFGHJKLMNPQRTUVWXYZ2346789'[byte % 30]).join('')

const NewCouponForm = ({ initial, like }: { initial: NewCoupon; like: string }) => {
  const draftName = `${store.value?.id} new coupon ${like}`
  const [draft, setDraft] = useDraft<NewCoupon>(draftName, initial)
  const change = (changes: Partial<NewCoupon>) => setDraft({ ...draft, ...changes })
  const { isBusy, error, submit } = useSubmit(async () => {
    const { code, ...rest } = draft
    const input = { kind: 'percent', value: 0, ...toCouponInput(rest) } as const
    const made = await admin().createCoupon({ ...input, code: code.trim() })
    dropDrafts(draftName)
    navigate(pathTo(`coupons/${encodeURIComponent(made.code)}`), { replace: true })
    showNotice(`${made.code} is ready.`)
  })
  return (
    <div class="columns">
      <form class="form panel" onSubmit={submit}>
        <div class="copy">
          <TextField
            {...{ label: 'Code', name: 'code', required: true, maxLength: 64, autocomplete: 'off', class: 'upper' }}
            {...{ pattern: '\\s*[\\p{L}\\p{M}\\p{N}_\\-]+\\s*', title: 'Letters, digits, - and _' }}
            help="Customers type it in the cart. Capital and small letters are the same."
            value={draft.code}
            onInput={(code) => change({ code })}
          />
          <Button class="quiet" onClick={() => change({ code: madeUp() })}>
            Make one up
          </Button>
        </div>
        <CouponFields draft={draft} change={change} />
        {error !== null && <Problem error={error} />}
        <div class="row">
          <Button type="submit" isBusy={isBusy}>
            {isBusy ? 'Saving' : 'Make coupon'}
          </Button>
          <a class="button quiet" href={pathTo('coupons')} onClick={() => dropDrafts(draftName)}>
            Cancel
          </a>
        </div>
      </form>
      <div class="beside">
        <CouponSentence code={draft.code} draft={draft} />
      </div>
    </div>
  )
}

import { useState } from 'preact/hooks'
import { DownloadIcon } from '../../../ui/icons.tsx'
import { useLoad } from '../../../ui/load.ts'
import { showNotice } from '../../../ui/notice.ts'
import { Button, Empty, Heading, Show } from '../../../ui/states.tsx'
import { date, errorText, plural } from '../format.ts'
import { AccountNav, CustomerOnly } from '../parts/customer-only.tsx'
import { Picture } from '../parts/picture.tsx'
import { type Download, isVitrineError, shop } from '../shop.ts'

export const DownloadsPage = () => (
  <CustomerOnly title="Downloads">
    <Heading title="Downloads" />
    <AccountNav current="/downloads" />
    <DownloadList />
  </CustomerOnly>
)

const DownloadList = () => {
  const { loaded, reload } = useLoad(
    'downloads',
    async (signal) => (await shop.listDownloads({ limit: 100 }, { signal })).items,
  )
  return (
    <Show loaded={loaded} onRetry={reload}>
      {(downloads) =>
        downloads.length === 0 ? (
          <Empty title="No files yet">
            <p>Files that you buy will appear here.</p>
            <a class="button" href="/category/digital">
              Browse downloads
            </a>
          </Empty>
        ) : (
          <ul class="orders">
            {downloads.map((download) => (
              <DownloadRow key={download.id} download={download} onUsed={reload} />
            ))}
          </ul>
        )
      }
    </Show>
  )
}

const DownloadRow = ({ download, onUsed }: { download: Download; onUsed: () => void }) => {
  const [errorMessage, setErrorMessage] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)
  const fetchFile = async () => {
    setBusy(true)
    setErrorMessage(null)
    try {
      const { url } = await shop.makeDownloadLink({ id: download.id })
      location.assign(url)
      showNotice(`${download.fileName} is being downloaded.`)
    } catch (error) {
      setErrorMessage(isVitrineError(error, 'GONE') ? 'This download has expired or was used up.' : errorText(error))
    }
    setBusy(false)
    onUsed()
  }
  const isUsedUp = download.remaining <= 0
  return (
    <li class="panel order-row">
      <span class="order-images" aria-hidden="true">
        <Picture src={download.image} size={56} />
      </span>
      <span class="order-text">
        <strong>{download.name}</strong>
        <span class="quiet-text">
          {download.fileName} · <a href={`/orders/${download.orderId}`}>Order {download.orderNumber}</a>
        </span>
        <span class="quiet-text">
          {isUsedUp ? 'Used up' : `${plural(download.remaining, 'download')} left`}
          {download.expiresAt ? `, until ${date(download.expiresAt)}` : ''}
        </span>
        {errorMessage && (
          <span class="error" role="alert">
            {errorMessage}
          </span>
        )}
      </span>
      <Button class="small" isBusy={isBusy} disabled={isUsedUp} onClick={fetchFile}>
        <DownloadIcon /> Download<span class="hidden"> {download.name}</span>
      </Button>
    </li>
  )
}

type Watcher = (share: number) => void

const watchers = new WeakMap<Blob, Watcher>()

/** Tells how much of a file has been sent, from 0 to 1. */
export const watchUpload = (file: Blob, watcher: Watcher) => watchers.set(file, watcher)

/** Sends a form as `fetch` does, which cannot tell how much has been sent. */
export const sendForm = (address: string, form: FormData, { method = 'POST', headers, signal }: RequestInit) =>
  new Promise<Response>((resolve, reject) => {
    const request = new XMLHttpRequest()
    const fail = () => reject(new TypeError('The file could not be sent.'))
    request.open(method, address)
    new Headers(headers).forEach((value, name) => {
      request.setRequestHeader(name, value)
    })
    const file = form.get('file')
    request.upload.onprogress = ({ loaded, total }) => {
      if (file instanceof Blob) watchers.get(file)?.(loaded / total)
    }
    request.onload = () =>
      resolve(new Response(request.responseText, { status: request.status, headers: headersOf(request) }))
    request.onerror = fail
    request.onabort = fail
    signal?.addEventListener('abort', () => request.abort())
    request.send(form)
  })

const headersOf = (request: XMLHttpRequest) => {
  const headers = new Headers()
  for (const line of request.getAllResponseHeaders().trim().split('\r\n')) {
    const [name = '', value = ''] = line.split(/: (.*)/)
    headers.append(name, value)
  }
  return headers
}

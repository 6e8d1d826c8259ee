/** The URL of each server that a URL names. `postgres://me@a:5432,b:5433/shop` names two. */
export const splitServers = (url: string): string[] => {
  const [, before, hosts, after] = /^(\w+:\/\/(?:[^@/?#]*@)?)([^/?#]*)(.*)$/s.exec(url) ?? []
  return hosts === undefined ? [url] : hosts.split(',').map((host) => `${before}${host}${after}`)
}

/** Whether all servers are named in a way that can be used. One alone may have no name, which means this machine. */
export const isDatabaseUrl = (url: string): boolean => {
  const servers = splitServers(url)
  return servers.every((server) => URL.canParse(server) && (servers.length === 1 || new URL(server).hostname !== ''))
}

/** Hosts and ports, without user and password. */
export const namesOfServers = (url: string): string =>
  splitServers(url)
    .map((server) => new URL(server).host)
    .join(', ')

import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']

/** The Chromium of this machine, if there is one. */
export const findChromium = () => {
  const { CHROMIUM: given, PATH = '' } = process.env
  if (given && given !== 'required') return given
  const candidates = PATH.split(delimiter).flatMap((folder) => names.map((name) => join(folder, name)))
  return [...candidates, '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome'].find((file) =>
    existsSync(file),
  )
}

/**
 * The suggestions of the address bar are pages of their own, which cost over a second of processor time per shopper.
 * Chromium obeys the last list only, so this one repeats the features of Playwright's list that affect pages.
 */
const disabledFeatures = [
  ...['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup', 'AimEnabled', 'LensOverlay', 'MediaRouter', 'OptimizationHints'],
  ...['AvoidUnnecessaryBeforeUnloadCheckSync', 'AvoidCorsURLLoaderRestartOnRedirect', 'DestroyProfileOnBrowserClose'],
  ...['HttpsUpgrades', 'HttpsFirstBalancedModeAutoEnable', 'PaintHolding', 'ThirdPartyStoragePartitioning'],
  ...['NetworkTimeServiceQuerying', 'PreconnectToSearch'],
]
export const browserArgs = ['--disable-dev-shm-usage', `--disable-features=${disabledFeatures.join(',')}`]

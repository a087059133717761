// Logos of document clients. Gatehouse fetches a logo once, redraws it and serves it from its own address. The host
// therefore learns nothing about viewers and cannot vary the picture (the draft, "Displaying Logos to End-Users").
// Logos are cached in process memory. Gatehouse fetches a logo only if one of its pages signed the address.
import { createHmac, hkdfSync } from 'node:crypto';
import { callerAddress } from '#lib/http/forwarding.ts';
import type { Answer, HttpRequest } from '#lib/http/message.ts';
import { now } from '#lib/kit/clock.ts';
import { log } from '#lib/kit/log.ts';
import { processWide } from '#lib/kit/process.ts';
import { equalDigests } from '#lib/kit/random.ts';
import { outboundFetch } from '#lib/outbound/fetch.ts';
import { drawLogo } from '#lib/pictures/draw.ts';
import { settings } from '#lib/settings/settings.ts';
import {
  type DocumentAsker,
  freshMilliseconds,
  isDocumentUrl,
  keepRecent,
  runGoverned,
} from './client-documents.ts';
import { UnknownIssuer } from './errors.ts';

/**
 * Maximum number of cached logos. The least recently used logo is evicted first. A logo has at least 64 pixels a side
 * and at most 150 KB.
 */
const MAX_LOGOS = 128;
const TIMEOUT_MS = 3_000;
const ACCEPT = 'image/png, image/jpeg, image/webp, image/gif';

/** Returns the logo's address for pages: the registered address, or Gatehouse's own address for document clients. */
export function logoAddress({
  clientId,
  logoUri,
}: {
  clientId: string;
  logoUri: string | null;
}): string | null {
  if (logoUri === null || !isDocumentUrl(clientId)) return logoUri;
  const [secret = ''] = settings().secrets;
  return `/client-logo?${new URLSearchParams({ of: logoUri, by: signatureOf(logoUri, secret).toString('base64url') })}`;
}

/** GET /client-logo: the picture, or 404 if unavailable. */
export async function handleClientLogo(http: HttpRequest): Promise<Answer> {
  const address = signedAddress(new URLSearchParams(http.query));
  const caller = callerAddress(http, settings().trustProxy);
  const picture = address === null ? null : await readLogo(address, { caller });
  if (!picture) throw new UnknownIssuer('no such logo');
  return {
    status: 200,
    headers: {
      'content-type': 'image/webp',
      'cache-control': 'private, max-age=3600',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
      'cross-origin-resource-policy': 'same-origin',
      'referrer-policy': 'no-referrer',
    },
    body: picture,
  };
}

function signatureOf(address: string, secret: string): Buffer {
  const key = Buffer.from(hkdfSync('sha256', secret, 'gatehouse', 'client logo v1', 32));
  return createHmac('sha256', key).update(address).digest();
}

function signedAddress(query: URLSearchParams): string | null {
  const address = query.get('of') ?? '';
  const signature = Buffer.from(query.get('by') ?? '', 'base64url');
  const isOurs = settings().secrets.some((secret) => equalDigests(signatureOf(address, secret), signature));
  return isOurs ? address : null;
}

type Kept = { picture: Buffer; freshUntil: number };
type Album = { kept: Map<string, Kept>; asking: Map<string, Promise<Buffer | null>> };

// one cache per process, shared by both HTTP listeners
const slot = processWide<Album>('client-logos');

/** Returns null if the logo is unavailable. A fetched logo remains in use until its host returns another one. */
async function readLogo(address: string, asker: DocumentAsker): Promise<Buffer | null> {
  slot.value ??= { kept: new Map(), asking: new Map() };
  const { kept, asking } = slot.value;
  const cachedLogo = kept.get(address);
  if (cachedLogo) keep(kept, address, cachedLogo);
  if (cachedLogo && now().getTime() < cachedLogo.freshUntil) return cachedLogo.picture;
  const running =
    asking.get(address) ?? fetchLogo(address, asker, kept).finally(() => asking.delete(address));
  asking.set(address, running);
  return (await running) ?? cachedLogo?.picture ?? null;
}

async function fetchLogo(
  address: string,
  asker: DocumentAsker,
  logos: Album['kept'],
): Promise<Buffer | null> {
  const allowPrivateNetwork = settings().clientDocumentsPrivateNetwork;
  const call = outboundFetch({ allowPrivateNetwork, timeoutMs: TIMEOUT_MS });
  try {
    const answer = await runGoverned(address, asker, () => call(address, { headers: { accept: ACCEPT } }));
    if (answer.status !== 200) throw new Error(`its host answered ${answer.status}`);
    const picture = await drawFetched(answer);
    const at = now().getTime();
    keep(logos, address, { picture, freshUntil: at + freshMilliseconds(answer.headers, at) });
    return picture;
  } catch (error) {
    log().info({ address, reason: error instanceof Error ? error.message : '' }, 'a logo was not fetched');
    return null;
  }
}

async function drawFetched(answer: Response): Promise<Buffer> {
  const type = answer.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase();
  const logo = await drawLogo(Buffer.from(await answer.arrayBuffer()), { svg: false });
  if ('fault' in logo) throw new Error(`the picture ${logo.fault.message}`);
  if (type !== `image/${logo.format}`)
    throw new Error(`it is an image/${logo.format} and was sent as ${type}`);
  return logo.large;
}

const keep = (logos: Album['kept'], address: string, logo: Kept) =>
  keepRecent(logos, address, logo, MAX_LOGOS);

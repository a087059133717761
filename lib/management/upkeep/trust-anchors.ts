// Certificates of authorities that the settings name a file for: what they vouch for is refused once they have ended.
import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { now } from '#lib/kit/clock.ts';
import { log } from '#lib/kit/log.ts';
import { sha256 } from '#lib/kit/random.ts';
import { trustedFiles } from '#lib/settings/shown.ts';

export type TrustAnchor = { kind: 'trust-anchor'; id: string; at: Date; name: string; setting: string };

const PEM = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g;
const MOST_BYTES = 1_000_000;
/** A file with more of them is the system's own list, which its packages keep. */
const MOST = 20;
/** What ended longer ago is in use no more. */
const ENDED_MS = 30 * 86_400_000;

/** A file that cannot be read is logged: the connection that needs it says more. */
export async function readTrustAnchors(): Promise<TrustAnchor[]> {
  const found = await Promise.all(
    trustedFiles().map(async ({ setting, file }) => {
      try {
        const text = (await readFile(file, 'utf8')).slice(0, MOST_BYTES);
        const found = text.match(PEM) ?? [];
        return found.length > MOST ? [] : found.map((pem) => anchorOf(setting, pem));
      } catch (error) {
        log().warn({ setting, reason: (error as Error).message }, 'certificates could not be read');
        return [];
      }
    }),
  );
  const since = now().getTime() - ENDED_MS;
  return found.flat().filter(({ at }) => at.getTime() > since);
}

function anchorOf(setting: string, pem: string): TrustAnchor {
  const { subject, validToDate, fingerprint256 } = new X509Certificate(pem);
  const name = /^(?:CN|O)=(.+)$/m.exec(subject)?.[1] ?? subject.split('\n')[0] ?? '';
  const id = sha256(`trust-anchor\n${setting}\n${fingerprint256}`).toString('base64url').slice(0, 22);
  return { kind: 'trust-anchor', id, at: validToDate, name, setting };
}

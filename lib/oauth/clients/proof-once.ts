// A proof that is good once over all processes (RFC 9449 §11.1), which only FAPI 2.0 asks for: the statement that asks
// whether the token lives notes it.
import { findLiveToken, findLiveTokenOnce, type LiveToken } from '#lib/store/tokens/live-tokens.ts';
import type { LockedToken } from '#lib/store/tokens/locked-token.ts';
import type { CheckedProof } from '#lib/tokens/dpop-proof.ts';
import type { PresentedAccess } from '#lib/tokens/read-access-token.ts';

/** What a request used itself: it is answered again where the registry has changed. */
const own = new WeakMap<object, string>();

type Asked = { version: string; askedBy: null; refreshHash: null; access: PresentedAccess };

/**
 * The living token; `isUsed`: its proof came before. Without a good proof of the right key nothing is noted: the token
 * is refused for that.
 */
export async function findTokenOfProof(
  asked: Asked,
  { checked, request }: { checked: CheckedProof | undefined; request: object },
): Promise<{ locked: LockedToken<LiveToken> | null; isUsed: boolean }> {
  const proof = checked?.proof ?? null;
  const { opaqueHash, jkt } = asked.access;
  const isOther = opaqueHash === null && jkt !== proof?.jkt.toString('base64url');
  if (proof === null || isOther || own.get(request) === proof.id)
    return { locked: await findLiveToken(asked), isUsed: false };
  const { id, jkt: proved } = proof;
  const once = { ...asked, proof: { hash: Buffer.from(id, 'base64'), jkt: proved } };
  const locked = await findLiveTokenOnce(once, () => own.set(request, id));
  return { locked, isUsed: own.get(request) !== id };
}

// tokens.jsonl, carried out after people.jsonl: refresh tokens of another service, each of which gives tokens here once
// (lib/oauth/former). A token that is here already is left as it is.
import { now } from '#lib/kit/clock.ts';
import { readTokenLine } from '#lib/moving-in/people/token-line.ts';
import type { SourceFile } from '#lib/moving-in/reading/source-file.ts';
import { linesOf } from '#lib/moving-in/reading/text-lines.ts';
import { inTransaction } from '#lib/store/database/prisma.ts';
import { insertFormerTokens } from '#lib/store/former/former-tokens.ts';
import { currentSnapshot } from '#lib/store/registry/snapshot.ts';
import type { Snapshot } from '#lib/store/registry/snapshot-rows.ts';
import { operation } from '../core/operation.ts';
import { isHost } from '../core/policy.ts';
import { record } from '../core/record.ts';
import type { LineFault } from './batch.ts';
import type { ImportProgress, ImportTotals } from './import-people.ts';

const BATCH = 500;
type Line = { number: number; token: Extract<ReturnType<typeof readTokenLine>, { token: unknown }>['token'] };

export const importTokens = operation(
  'importTokens',
  async (
    { actor },
    { file, dryRun, progress }: { file: SourceFile; dryRun: boolean; progress: ImportProgress },
  ): Promise<ImportTotals> => {
    if (!isHost(actor)) throw new Error('tokens are imported at the host');
    const totals = { imported: 0, unchanged: 0, refused: 0 };
    let [lines, faults]: [Line[], LineFault[]] = [[], []];
    for await (const { text, number } of linesOf(file)) {
      const read = readTokenLine(text);
      if ('token' in read) lines.push({ number, token: read.token });
      else faults.push(...read.faults.map((because) => ({ line: number, because })));
      if (lines.length + faults.length < BATCH) continue;
      await batch();
    }
    await batch();
    return totals;

    async function batch(): Promise<void> {
      const snapshot = await currentSnapshot();
      const known = lines.filter(({ number, token }) => {
        const because = whyNot(token, snapshot);
        if (because !== null) faults.push({ line: number, because });
        return because === null;
      });
      const found = await inTransaction(async (db) => {
        const result = await insertFormerTokens(
          db,
          known.map(({ token }) => token),
          dryRun,
        );
        const made = result.filter((one) => one === 'made').length;
        if (made > 0 && !dryRun)
          await record(actor, { event: 'people.tokens_imported', details: { imported: made } }, db);
        return result;
      });
      for (const [at, one] of found.entries()) {
        if (one === 'made') totals.imported += 1;
        else if (one === 'there') totals.unchanged += 1;
        else
          faults.push({
            line: known[at]?.number ?? 0,
            because: `nobody has the subject ${known[at]?.token.subject}`,
          });
      }
      totals.refused += faults.length;
      progress(
        faults.toSorted((one, other) => one.line - other.line),
        totals,
      );
      [lines, faults] = [[], []];
    }
  },
);

function whyNot(
  { client_id: clientId, api, auth_method: method, ...token }: Line['token'],
  snapshot: Snapshot,
) {
  if (token.expires_at.getTime() <= now().getTime()) return 'has expired';
  if (snapshot.clients.get(clientId) === undefined) return `there is no client ${clientId}`;
  if (!snapshot.apis.get(api)?.authMethods.includes(method))
    return `there is no issuer of ${method} and ${api}`;
  return null;
}

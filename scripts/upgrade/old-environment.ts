// The environment variables that the documents of a version tell operators to set. The next minor version must start
// with them.
import { filledIn, settingsBlocks } from '#testing/code/settings-blocks.ts';
import { documentsOf, fileOf } from './releases.ts';

/** Returns the settings blocks of the release's guides, with placeholders filled in. */
export function documentedEnvironments(commit: string): { document: string; env: Record<string, string> }[] {
  return documentsOf(commit)
    .flatMap((document) => settingsBlocks(document, fileOf(commit, document)))
    .map((block) => ({ document: block.document, env: filledIn(block) }));
}

/** Returns every setting of the release, from the table of docs/reference/settings.md. */
export function documentedSettings(text: string): string[] {
  const table = /<!-- table: settings -->([\s\S]*?)<!-- end of settings -->/.exec(text)?.[1] ?? '';
  return [...table.matchAll(/^\| `([A-Z_]+)`/gm)].map(([, name = '']) => name);
}

// The copyright file of the package: the licence of Gatehouse and the licences of everything in the package, each
// text once.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const LICENCE = /(?:^|\/)(?:licen[cs]e|notice|copying)[^/]*$/i;
/**
 * Matches the text of the Apache licence. Debian installs this text in a common folder, and forbids copies in
 * packages.
 */
const APACHE = /[ \t]*Apache License\s+Version 2\.0, January 2004[\s\S]*?END OF TERMS AND CONDITIONS/g;

export const isLicence = (file: string) => LICENCE.test(file);

type Licence = { of: string; text: string };

/** Returns the text of the copyright file. `node`: the licence text of Node. */
export function copyrightOf(tree: string, node: string): string {
  const byText = new Map<string, string[]>();
  for (const { of, text } of [
    { of: 'Node (usr/lib/gatehouse/bin/node)', text: plain(node) },
    ...licencesIn(tree),
  ])
    byText.set(text, [...(byText.get(text) ?? []), of]);
  const sections = [...byText].map(([text, names]) => `${RULE}\n${names.join('\n')}\n\n${text}\n`);
  return `${OWN}\n${sections.join('\n')}`;
}

const RULE = '-'.repeat(72);
const OWN = `Gatehouse, an OAuth 2.0 authorization server and OpenID Provider

Copyright: the authors of Gatehouse
License: Apache-2.0; see /usr/share/common-licenses/Apache-2.0

The package has the packages of npm below, and Node. Each is under its own
licence, which follows its name.
`;

function licencesIn(tree: string): Licence[] {
  const modules = path.join(tree, 'node_modules');
  const files = readdirSync(modules, { recursive: true, encoding: 'utf8' }).sort();
  const read = (file: string) => readFileSync(path.join(modules, file), 'utf8');
  const found = files.filter(isLicence).map((file) => ({ of: path.dirname(file), text: plain(read(file)) }));
  const have = new Set(found.map(({ of }) => of));
  const others = files
    .filter((file) => path.basename(file) === 'package.json' && !have.has(path.dirname(file)))
    .flatMap((file) => {
      const { name, version, license, author } = JSON.parse(read(file));
      if (!name || !version || !license) return [];
      const by = typeof author === 'string' ? author : author?.name;
      return [{ of: path.dirname(file), text: `License: ${license}${by ? `, by ${by}` : ''}` }];
    });
  return [...found, ...others];
}

function plain(text: string): string {
  return text
    .replaceAll('\r', '')
    .replace(APACHE, 'Apache License, Version 2.0: see /usr/share/common-licenses/Apache-2.0')
    .trim();
}

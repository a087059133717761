// Code blocks in documents that contain only settings, with one setting per line.

export type SettingsBlock = { document: string; text: string };

/** Parses settings like systemd.exec(5), EnvironmentFile=: a comment is a line that begins with # or ;. */
export function environmentFile(text: string): Record<string, string> {
  const lines = text.split('\n').filter((line) => /^\s*[^#;\s]/.test(line));
  const pairs = lines.map((line) => /^\s*([^=]+)=(.*?)\s*$/.exec(line) ?? []);
  const unquoted = (value: string) => /^(["'])(.*)\1$/.exec(value)?.[2] ?? value;
  return Object.fromEntries(pairs.map(([, name = '', value = '']) => [name, unquoted(value)]));
}

export function settingsBlocks(document: string, text: string): SettingsBlock[] {
  const isSettings = (block: string) =>
    /^[A-Z_]+=/m.test(block) && block.split('\n').every((line) => /^([A-Z_]+=.*|#.*|)$/.test(line));
  return [...text.matchAll(/^```\w*\n([\s\S]*?)^```$/gm)]
    .map(([, block = '']) => block)
    .filter(isSettings)
    .map((block) => ({ document, text: block }));
}

/** Fills each `…`: 32 random bytes for secrets and tokens, arbitrary text otherwise. */
export function filledIn(block: SettingsBlock): Record<string, string> {
  const secret = Buffer.alloc(32, 7).toString('base64url');
  const filled = (name: string, value: string) =>
    value.replace('…', /SECRET|TOKEN/.test(name) ? secret : 'x');
  return Object.fromEntries(
    Object.entries(environmentFile(block.text)).map(([name, value]) => [name, filled(name, value)]),
  );
}

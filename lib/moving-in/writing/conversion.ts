// What a converter is given, and where it puts what it makes. It reads the files, and nothing else.
import type { Notes } from '../reading/notes.ts';
import type { SourceFile } from '../reading/source-file.ts';
import type { TakePerson } from './people-file.ts';
import type { Registry } from './registry-file.ts';
import type { TakeToken } from './tokens-file.ts';

export type Conversion = {
  files: readonly SourceFile[];
  notes: Notes;
  registry: Registry;
  take: TakePerson;
  takeToken: TakeToken;
  /** the environment, for keys that the source is encrypted with */
  env: Readonly<Record<string, string | undefined>>;
};
export type Converter = (conversion: Conversion) => Promise<void>;

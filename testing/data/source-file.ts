// In-memory export file, returned complete or in chunks of a few bytes.
import type { SourceFile } from '#lib/kit/source-file.ts';

export function sourceFile(name: string, content: string | Uint8Array, size = 64): SourceFile {
  const bytes = Buffer.from(content);
  return {
    name,
    async *chunks() {
      for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
    },
  };
}

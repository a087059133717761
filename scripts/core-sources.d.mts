export const CORE_SOURCES: readonly string[];
export const OUTDATED_CORE: string;
export function fingerprint(root: string, names: readonly string[]): string;
export function readCoreFingerprint(root: string): string | null;
export function isCoreCurrent(root: string): boolean;

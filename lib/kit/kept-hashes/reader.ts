/** Checks a password; null: the hash is of another kind. */
export type Reader = (stored: string) => ((password: string) => Promise<boolean>) | null;

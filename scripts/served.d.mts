/** Null: none that this user can see. */
export function servingProcess(folder: string, distDir: string): number | null;

/** `distDir` null: any build. Returns null if this user can see no such process. */
export function servingProcess(folder: string, distDir: string | null): number | null;

export function settingsIn(text: string): [name: string, value: string][];

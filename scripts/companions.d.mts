/** `file`: the configuration to apply, which is a copy where a port was taken. */
export function startCompanions(
  configuration: string,
  address: string,
): Promise<{ file: string; stop: () => void }>;

// registry.yaml: what `apply` takes. The sections are written in the order of docs/configuration.md.
import { stringify } from 'yaml';

type Entry = Record<string, unknown>;
export type Registry = {
  groups: Entry[];
  auth_methods: Entry[];
  apis: Entry[];
  clients: Entry[];
  subscriptions: Entry[];
};

export const emptyRegistry = (): Registry => ({
  groups: [],
  auth_methods: [],
  apis: [],
  clients: [],
  subscriptions: [],
});

export function registryText(registry: Registry, source: string): string {
  const head = `# Made by gatehouse import ${source}. Secrets in it are in the clear: keep it safe, and delete it once it is applied.\n`;
  return `${head}${stringify(registry, { lineWidth: 0, aliasDuplicateObjects: false })}`;
}

// The routes of the management API, as rows of docs/reference/management-api.md.
import { ruleOf } from '#lib/management/policy.ts';
import { routes } from '#lib/management-api/routes.ts';

export function routeRows(): string[][] {
  return routes.map(({ method, path, summary, actions }) => {
    const rules = actions.map(ruleOf);
    const roles = [...new Set(rules.flatMap((rule) => rule.roles))];
    const scopes = [...new Set(rules.map(({ scope }) => `\`${scope}\``))];
    return [
      `\`${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}\``,
      summary,
      roles.join(', '),
      scopes.join(', '),
    ];
  });
}

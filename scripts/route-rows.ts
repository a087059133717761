// Returns the routes of the management API, as rows of docs/reference/management-api.md.
import { accessOf } from '#lib/management/policy.ts';
import { routes } from '#lib/management-api/routes.ts';

export function routeRows(): string[][] {
  return routes.map(({ method, path, summary, actions }) => {
    const { roles, scopes } = accessOf(actions);
    return [
      `\`${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}\``,
      summary,
      roles.join(', '),
      scopes.map((scope) => `\`${scope}\``).join(', '),
    ];
  });
}

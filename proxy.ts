// Which requests pass here before they reach a page. Next loads this file for every request, a token request too, so what it does
// (app/_proxy.ts) is loaded when the first one passes. Routes are excluded: they answer for themselves, and Next truncates large
// bodies of what passes here.
import type { NextRequest, NextResponse } from 'next/server';

export async function proxy(request: NextRequest): Promise<NextResponse> {
  const { answerVisit } = await import('./app/_proxy.ts');
  return answerVisit(request);
}

/**
 * Pages, and addresses that do not exist, so that Next's own 404 has the headers too; no route handler, and none of our files.
 * Each exception is matched to its end, so that no page falls under it.
 */
export const config = {
  matcher: [
    '/((?!$|_next/static/|api/v1(?:/|$)|api/cron/cleanup$|auth/(?:token$|callback/|[^/]+/api/)|\\.well-known/(?:oauth-authorization-server|openid-configuration)/auth/[^/]+/api/[^/]+$|\\.well-known/(?:oauth-authorization-server|openid-configuration|webauthn)$|(?:authorize|token|revoke|introspect|userinfo|jwks)$|\\.well-known/oauth-protected-resource/(?:apis/[^/]+|api/v1)$|apis(?:/[a-z0-9-]+)?/?$|documentation/?$|health$|metrics$|ready$|openapi\\.json$|continue$|client-logo$|logo/[^/]+$|(?:login|confirm|set-up|consent|register|logout)(?:/submit|/)?$|login/passkey$|(?:account|developer|admin)/submit/[^/]+$|account/data/file$|developer/check$|(?:console|gatehouse)\\.css$|(?:copy|new-password|passkeys)\\.js$|icon\\.svg$).*)',
  ],
};

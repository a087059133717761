// Which requests pass here before they reach a page: those of the console, whose status and nonce are set here, and
// those that Next would refuse by itself. Next loads this file for every request, a token request too, so what it does
// (app/_proxy.ts) is loaded when the first one passes. Forms and downloads are routes: Next truncates large bodies of
// what passes here.
import type { NextRequest, NextResponse } from 'next/server';

export async function proxy(request: NextRequest): Promise<NextResponse> {
  const { answerVisit } = await import('./app/_proxy.ts');
  return answerVisit(request);
}

export const config = {
  matcher: [
    '/((?:account|developer|admin)(?:/(?!submit/|preview/|(?:data|audit)/file$|check$).*)?)',
    // Next's own addresses
    '/((?:_next/(?!static/)|(?:404|500|_error|_not-found)/?$).*)',
    // an escape that may not be UTF-8
    '/(.*%(?![0-7][0-9A-Fa-f]).*)',
  ],
};

import type { Metadata, Viewport } from 'next';
import Script from 'next/script';
import type { ReactNode } from 'react';
import { COPY_SCRIPT, STYLESHEET, themeColours } from '#lib/http/page.ts';
import { THEME_SCRIPT } from './_html/scripts.ts';
import { visitWords } from './(console)/_kit/page-language.ts';

// every response contains a new nonce, so no page can be prerendered
export const dynamic = 'force-dynamic';

export const metadata: Metadata = {
  title: { default: 'Gatehouse', template: '%s · Gatehouse' },
  robots: { index: false },
};

export async function generateViewport(): Promise<Viewport> {
  const { theme } = await visitWords();
  return { colorScheme: theme ?? 'light dark', themeColor: themeColours(theme) };
}

export default async function RootLayout({ children }: { children: ReactNode }) {
  const { language, direction, theme } = await visitWords();
  return (
    <html lang={language} dir={direction} data-theme={theme}>
      <head>
        <link rel="stylesheet" href={STYLESHEET} />
      </head>
      <body>
        {children}
        <Script src={COPY_SCRIPT} strategy="lazyOnload" />
        <Script src={THEME_SCRIPT} strategy="lazyOnload" />
      </body>
    </html>
  );
}

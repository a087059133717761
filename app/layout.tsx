import type { Metadata, Viewport } from 'next';
import Script from 'next/script';
import type { ReactNode } from 'react';
import { COPY_SCRIPT, THEME_SCRIPT } from './_html/scripts.ts';
import { visitWords } from './(console)/_kit/page-language.ts';

// every response contains a new nonce, so no page can be prerendered
export const dynamic = 'force-dynamic';

/** lib/http/page.ts contains the same address. Raise the number when the file changes. */
const STYLESHEET = '/gatehouse.css?v=11';

export const metadata: Metadata = {
  title: { default: 'Gatehouse', template: '%s · Gatehouse' },
  robots: { index: false },
};

/** lib/http/page.ts contains the same viewport. */
export async function generateViewport(): Promise<Viewport> {
  const { theme } = await visitWords();
  if (theme !== undefined) return { colorScheme: theme, themeColor: PAPER[theme] };
  return {
    colorScheme: 'light dark',
    themeColor: [
      { media: '(prefers-color-scheme: light)', color: PAPER.light },
      { media: '(prefers-color-scheme: dark)', color: PAPER.dark },
    ],
  };
}
const PAPER = { light: '#f7f5f0', dark: '#141613' };

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

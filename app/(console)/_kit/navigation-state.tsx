'use client';

// Keeps the collapsed groups and the scroll position of the navigation while the tab is open, because each link loads a
// whole page. The current entry is always visible. Without JavaScript all groups are open.
import { useLayoutEffect } from 'react';

/** Keys in session storage. */
const CLOSED = 'navigation-closed';
const SCROLLED = 'navigation-scrolled';

export function NavigationState() {
  useLayoutEffect(() => {
    const navigation = document.querySelector<HTMLElement>('.console-nav');
    if (!navigation) return;
    const groups = [...navigation.querySelectorAll('details')];
    const closed = (sessionStorage.getItem(CLOSED) ?? '').split(' ');
    for (const group of groups)
      group.open =
        !closed.includes(group.dataset['group'] ?? '') || group.querySelector('[aria-current]') !== null;
    navigation.scrollTop = Number(sessionStorage.getItem(SCROLLED) ?? 0);
    navigation.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' });
    const keep = () => {
      const names = groups.filter(({ open }) => !open).map(({ dataset }) => dataset['group']);
      sessionStorage.setItem(CLOSED, names.join(' '));
      sessionStorage.setItem(SCROLLED, String(navigation.scrollTop));
    };
    addEventListener('pagehide', keep);
    return () => removeEventListener('pagehide', keep);
  }, []);
  return null;
}

// Light, dark or as the system says, at once: the same address as the link's keeps the choice, and nothing is loaded.
document.addEventListener('click', async (event) => {
  const link = event.target.closest?.('a[data-choose-theme]');
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  try {
    // a redirect that is not followed still sets its cookie
    await fetch(link.href, { redirect: 'manual' });
  } catch {
    location.assign(link.href);
    return;
  }
  const root = document.documentElement;
  const choice = link.dataset.chooseTheme;
  if (choice === 'system') delete root.dataset.theme;
  else root.dataset.theme = choice;
  for (const one of link.closest('ul').querySelectorAll('a')) one.removeAttribute('aria-current');
  link.setAttribute('aria-current', 'true');
  for (const scheme of document.querySelectorAll('meta[name="color-scheme"]'))
    scheme.content = choice === 'system' ? 'light dark' : choice;
  // the bar around the page on a phone
  const paper = getComputedStyle(root).getPropertyValue('--paper').trim();
  for (const colour of document.querySelectorAll('meta[name="theme-color"]')) colour.content = paper;
});

// Copies the text of a button's data-copy. Where the browser does not allow it, the text beside it can be selected.
document.addEventListener('click', async ({ target }) => {
  const button = target.closest?.('button[data-copy]');
  if (!button) return;
  const status = button.nextElementSibling;
  try {
    await navigator.clipboard.writeText(button.dataset.copy);
  } catch {
    return;
  }
  button.textContent = 'Copied';
  status.textContent = `${button.dataset.label} copied`;
  setTimeout(() => {
    button.textContent = 'Copy';
    status.textContent = '';
  }, 2000);
});

// Copies the text of a button's data-copy. Where the browser does not allow it, the text beside it can be selected.
document.addEventListener('click', async ({ target }) => {
  const button = target.closest?.('button[data-copy]');
  if (!button) return;
  const status = button.nextElementSibling;
  const { copy, label, copied } = button.dataset;
  const before = button.textContent;
  if (status.textContent !== '') return;
  try {
    await navigator.clipboard.writeText(copy);
  } catch {
    return;
  }
  button.textContent = copied ?? 'Copied';
  status.textContent = copied === undefined ? `${label} copied` : `${label}: ${copied}`;
  setTimeout(() => {
    button.textContent = before;
    status.textContent = '';
  }, 2000);
});

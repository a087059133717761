// Copies the text of a button's data-copy, or the code beside it. Where the browser does not let a page copy, it
// selects the text beside the button. A button with data-print prints the page. A button with data-print prints the page.
document.addEventListener('click', async ({ target }) => {
  if (target.closest?.('button[data-print]')) return print();
  const button = target.closest?.('button[data-copy]');
  if (!button) return;
  const status = button.nextElementSibling;
  const { label, copied } = button.dataset;
  const copy = button.dataset.copy || codeBeside(button).textContent;
  const before = button.textContent;
  if (status.textContent !== '') return;
  const isCopied = await copyText(copy, button);
  if (!isCopied) selectBeside(button);
  const keys = /Mac|iP/.test(navigator.platform) ? '⌘C' : 'Ctrl+C';
  const word = isCopied ? (copied ?? 'Copied') : keys;
  button.textContent = word;
  status.textContent = isCopied && copied === undefined ? `${label} copied` : `${label}: ${word}`;
  setTimeout(
    () => {
      button.textContent = before;
      status.textContent = '';
    },
    isCopied ? 2_000 : 6_000,
  );
});

/** Pages over plain http have no navigator.clipboard; the older command copies what is selected. */
async function copyText(text, button) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const field = Object.assign(document.createElement('textarea'), { value: text, readOnly: true });
    // 16px: a phone zooms in on smaller text that is focused
    Object.assign(field.style, { position: 'fixed', top: 0, opacity: 0, fontSize: '16px' });
    document.body.append(field);
    field.select();
    try {
      return document.execCommand('copy');
    } catch {
      return false;
    } finally {
      field.remove();
      button.focus();
    }
  }
}

function selectBeside(button) {
  const text = codeBeside(button) ?? button.closest('.codes-copy')?.previousElementSibling;
  if (text) getSelection()?.selectAllChildren(text);
}

const codeBeside = (button) => button.closest('.copy, .code-block')?.querySelector('code');

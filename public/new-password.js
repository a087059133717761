// Behind the field of a new password on pages without React: shows what was typed, and says how strong its length makes it. The words
// are those of the page (data-new-password); without a script there is neither.
for (const box of document.querySelectorAll('[data-new-password]')) {
  const words = JSON.parse(box.dataset.newPassword);
  const field = box.querySelector('input');
  const button = box.querySelector('button');
  const output = box.querySelector('output');

  /** `words.more`: what is said where so many characters are missing, from none. */
  const strengthOf = (password) => {
    const { length } = [...password];
    const least = words.more.length - 1;
    if (length === 0) return '';
    if (length < least) return words.more[least - length];
    if (new Set(password).size < 5) return words.weak;
    if (length < 12) return words.fair;
    return length < 16 ? words.good : words.strong;
  };
  const show = (shown) => {
    field.type = shown ? 'text' : 'password';
    button.textContent = shown ? words.hide : words.show;
  };

  const tell = () => {
    output.textContent = strengthOf(field.value);
  };
  button.hidden = false;
  button.addEventListener('click', () => show(field.type === 'password'));
  field.addEventListener('input', tell);
  // a browser remembers what it is sent as a password only
  field.form.addEventListener('submit', () => show(false));
  tell();
}

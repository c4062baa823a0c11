// The theme: dark, light, or as the system says. The choice is kept in a cookie, so that pages come in it at once.
const YEAR = 365 * 24 * 60 * 60;

export function followTheme() {
  document.addEventListener("change", ({ target }) => {
    if (target.name !== "theme") return;
    document.cookie = `theme=${target.value}; path=/; max-age=${target.value ? YEAR : 0}; samesite=strict`;
    if (target.value) document.documentElement.dataset.theme = target.value;
    else delete document.documentElement.dataset.theme;
  });
}

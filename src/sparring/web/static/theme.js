// Set the theme before the first paint, to avoid a flash.
const theme = localStorage.getItem("theme");
if (theme === "dark" || theme === "light") document.documentElement.dataset.theme = theme;

// On every page: buttons that copy text. Without this script they are hidden.
for (const button of document.querySelectorAll("button[data-copy]")) {
  const label = button.textContent;
  button.hidden = false;
  button.addEventListener("click", async () => {
    const source = document.getElementById(button.dataset.copy);
    await navigator.clipboard.writeText((source?.value ?? source?.textContent ?? "").trim());
    button.textContent = button.dataset.copied;
    setTimeout(() => button.textContent = label, 2_000);
  });
}

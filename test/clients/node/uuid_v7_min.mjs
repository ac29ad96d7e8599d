// The bound that doc/clients.md describes.
// Returns the lowest version 7 UUID of a Date's millisecond.
export function uuidV7Min(date) {
  const hex = date.getTime().toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
}

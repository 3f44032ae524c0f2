// Where the page begins.
import { render } from "preact";
import { followLinks } from "./app/router";
import { keep } from "./app/session";
import { Shell } from "./app/shell";
import "./styles.css";

const root = document.getElementById("app");
if (root) {
  keep(document.documentElement);
  followLinks(root);
  render(<Shell />, root);
}
